// CloudStoreConformance
