// CloudKitTesting
