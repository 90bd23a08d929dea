/// An object's registrar, by reference: its layout is known to Observation alone, so that every look at one that is stored in
/// place is a call.
final class ModelObservation {
    let registrar = ObservationRegistrar()
}
