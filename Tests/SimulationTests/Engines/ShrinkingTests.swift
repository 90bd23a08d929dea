import Testing

@Suite struct ShrinkingTests {
    @Test("What is left fails, and nothing can be left out of it")
    func minimum() {
        let elements = Array(0..<400)
        let places = shrink(elements) { $0.contains(17) && $0.contains(230) && $0.contains(231) }
        #expect(places == [17, 230, 231])
    }

    @Test("What fails for its number alone is cut to that number")
    func number() {
        #expect(shrink(Array(0..<100)) { $0.count >= 7 }.count == 7)
    }

    @Test("The attempts are bounded, and what is left still fails")
    func bounded() {
        var attempts = 0
        let places = shrink(Array(0..<400), attempts: 5) { elements in
            attempts += 1
            return elements.contains(399)
        }
        #expect(attempts == 5)
        #expect(places.contains(399))
    }
}
