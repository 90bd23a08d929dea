// CloudKit: Apple's framework by its own names. What an app says to its cloud (records, zones, queries, errors) lies in
// Records, Zones, Queries and Errors; how it says it lies in Container, Database, Operations and Transport. On the way
// down: a function of CKDatabase or an operation makes a value of Requests, which calls the container's CloudConnection,
// which signs the call in, sends it through a Transport and turns what fails into a CKError (Errors/CKError+Wire.swift).
// Which cloud and account it is, Configuration tells.
//
// It speaks to any server of CloudKit Web Services through the types of `WebServices`, and must not know what such a
// server is made of: no storage, no server module. Public here is what Apple's framework makes public; everything else
// is `package`, or public in a file named `…+Stratus.swift`.

// Apple's CloudKit hands both on to whoever imports it.
@_exported import CoreLocation
@_exported import Foundation
// Gives apps `NSPredicate(format:)` and `NSSortDescriptor(key:ascending:)`, which Foundation lacks on these platforms.
@_exported import PredicateFormat
