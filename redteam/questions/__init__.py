"""Questions beside those of `world`, and runs that ask them."""
