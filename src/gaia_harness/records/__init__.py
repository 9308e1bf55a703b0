"""The stored formats: each schema, and each rule about it, once."""
