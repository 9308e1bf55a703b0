"""What lies on disk: each schema, and each rule about it, once."""
