import CloudStore
import WebServices

struct RecordsModifyEndpoint: WritingEndpoint {
    let request: RecordsModify.Request
    init(_ request: RecordsModify.Request) { self.request = request }
    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer { .recordsModify(.init(records: [])) }
}
