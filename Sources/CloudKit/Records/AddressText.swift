/// The address in the descriptions of objects, as Foundation prints it.
func addressText(of object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
}
