"""The kit that every provider may use: nothing here knows one of them."""
