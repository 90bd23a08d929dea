import Foundation

// Archives name the class as Apple's runtime does, and an app may ask an unarchiver for one before it has called
// anything here, so the name is made known when the program is loaded.
@section(".init_array") @used
private let registration: @convention(c) () -> Void = {
    NSKeyedUnarchiver.setClass(CLLocation.self, forClassName: "CLLocation")
    NSKeyedArchiver.setClassName("CLLocation", for: CLLocation.self)
}
