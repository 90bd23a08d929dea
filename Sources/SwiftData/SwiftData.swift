// SwiftData for platforms that have none: an app's `@Model` classes, containers and contexts over PersistentStore.
// Everything public here is Apple's, but for what macros write into an app's source: those names begin with `_`.
// It must not know the cloud: mirroring reads a store's history, like any other process.

// Apple's SwiftData brings these along, and models are written in the belief that it does.
@_exported import Foundation
@_exported import Observation
