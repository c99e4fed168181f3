package order

// FirstCode is the code that an order would like to have.
func FirstCode(owner, key string) string { return newCode(newID(owner, key), 0) }

// NewID is the id that the key of an owner gives an order.
func NewID(owner, key string) string { return newID(owner, key) }
