import CloudServer
import Testing

@Suite("HTTP requests as values")
struct HTTPRequestTests {
    @Test(
        "A path is taken apart and decoded",
        arguments: [
            ("/", []), ("", []), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("//a", ["", "a"]),
            ("/a%2Fb/%c3%A9", ["a/b", "é"]),
            ("/a+b", ["a+b"]), ("*", ["*"]), ("http://example.com/a?x", ["a"]), ("https://example.com", []),
            ("/a?b/c", ["a"]),
        ])
    func path(target: String, components: [String]) throws {
        #expect(try #require(HTTPRequest(method: "GET", target: target)).pathComponents == components)
    }

    @Test("A query is taken apart and decoded")
    func query() throws {
        let target = "/x?a=1&b=%C3%A9%20+z&&c&d=&e=f=g&a=2&%61%3d=%26"
        let query = try #require(HTTPRequest(method: "GET", target: target)).query
        #expect(query.items.map(\.name) == ["a", "b", "c", "d", "e", "a", "a="])
        #expect(query.items.map(\.value) == ["1", "é  z", "", "", "f=g", "2", "&"])
        #expect(query["a"] == "1")
        #expect(query["absent"] == nil)
        #expect(query.raw == "a=1&b=%C3%A9%20+z&&c&d=&e=f=g&a=2&%61%3d=%26")
    }

    @Test(
        "What is not percent-encoded UTF-8 is refused",
        arguments: ["/%", "/%a", "/%zz", "/a%2", "/%ff", "/%c3", "/?a=%", "/?%g0", "/?a=%ff", "/?a=b%c3"])
    func malformed(target: String) {
        #expect(HTTPRequest(method: "GET", target: target) == nil)
    }

    @Test("Any text is decoded or refused", arguments: 0..<10)
    func anything(seed: UInt64) {
        var state = seed
        for _ in 0..<500 {
            let characters = (0..<20).map { _ -> Character in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Array("/%?=&+a1fF0éz ")[Int(state >> 33) % 14]
            }
            _ = HTTPRequest(method: "GET", target: String(characters))
        }
    }

    @Test("Headers are found whatever their case")
    func headers() {
        let headers = HTTPHeaders([("Content-Type", "a"), ("X-Empty", ""), ("content-type", "b")])
        #expect(headers["CONTENT-TYPE"] == "a")
        #expect(headers.values(of: "Content-type") == ["a", "b"])
        #expect(headers["x-empty"] == "")
        #expect(headers["Content-Typ"] == nil)
        #expect(headers.map(\.name) == ["Content-Type", "X-Empty", "content-type"])
        #expect(headers.map(\.value) == ["a", "", "b"])
    }
}
