/// Stands for an object of a class that nobody knows.
final class NoModel: PersistentModel {
    let _$state = _ModelState()
    static var schemaMetadata: [Schema.PropertyMetadata] { [] }
    static var _$propertyCount: Int { 0 }
    var persistentBackingData: any BackingData<NoModel> {
        get { _backingData(of: self) }
        set {}
    }

    init(backingData: any BackingData<NoModel>) {}
    init(_$blank blank: _Blank) {}
    func _$load(_ row: _Row) {}
    func _$bind(_ row: _RowValues) {}
    func _$unload() {}
    func _$perform(_ operation: inout _PropertyOperation) {}
}
