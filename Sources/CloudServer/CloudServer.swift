// CloudServer
