"""Models: providers, requests, retries, and a scripted model for tests and the demo."""
