package order

// FirstCode is the code that an order would like to have.
func FirstCode(owner, key string) string { return newCode(newID(owner, key), 0) }
