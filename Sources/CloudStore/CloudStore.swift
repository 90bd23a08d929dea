// CloudStore
