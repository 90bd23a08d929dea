/// Notes which properties of an object are read.
final class ProbeRecorder {
    var reads: [(entity: String, property: String)] = []
}

/// An object without values that notes which of its properties are read: how a key path that was formed elsewhere is resolved.
///
/// To-one relationships read as probes that note into the same list, to-many ones as empty, values as zero.
package func _probe(
    _ type: any PersistentModel.Type
) -> (object: any PersistentModel, reads: () -> [(entity: String, property: String)])? {
    let recorder = ProbeRecorder()
    return (makeProbe(type, recorder), { recorder.reads })
}

private func makeProbe<Model: PersistentModel>(_ type: Model.Type, _ recorder: ProbeRecorder) -> Model {
    let model = Model(_$blank: _Blank())
    model._$state.flags.insert(.probe)
    model._$state.rare.recorder = recorder
    model._$state.model = model
    return model
}

extension _ModelState {
    func recordRead(_ index: Int) {
        guard flags.contains(.probe), let recorder = extra?.recorder, let model else { return }
        let description = ModelDescription.of(type(of: model))
        guard description.properties.indices.contains(index) else { return }
        recorder.reads.append((description.name, description.properties[index].name))
    }

    /// A probe of what a probe's to-one leads to.
    func probe<Model: PersistentModel>(_ type: Model.Type) -> Model? {
        guard flags.contains(.probe), let recorder = extra?.recorder else { return nil }
        return makeProbe(type, recorder)
    }
}
