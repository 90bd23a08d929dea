/// A schema with everything that the language has, laid out by hand.
let handWritten = """
    -- Field guides: what everybody reads and their authors write.
    DEFINE SCHEMA
    CREATE ROLE Editor;  /* people of ours,
                            by name */

    RECORD TYPE Guide (
        "___recordID"   REFERENCE QUERYABLE,
        "___createTime" TIMESTAMP QUERYABLE SORTABLE,
        "title"   STRING QUERYABLE SORTABLE SEARCHABLE,  // shown in lists
        tags      LIST<STRING> QUERYABLE SEARCHABLE,
        "grant"   STRING,
        cover     ASSET,
        pages     INT64 SORTABLE,
        weight    NUMBER,
        price     NUMBER PREFERRED AS DOUBLE,
        copies    number preferred as int64,
        place     LOCATION QUERYABLE,
        author    REFERENCE QUERYABLE,
        related   LIST < REFERENCE >,
        secret    ENCRYPTED STRING,
        secrets   LIST<ENCRYPTED BYTES>,
        GRANT READ TO "_world",
        GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator",
        GRANT READ, CREATE, WRITE TO Editor
    );

    RECORD TYPE "cloudkit.share" (
        "cloudkit.title" STRING,
        GRANT WRITE TO "_creator"
    );
    record type Empty ();
    """

/// The same kind of text as CloudKit's tools export it.
let exported = """
    DEFINE SCHEMA

        RECORD TYPE Coin (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE QUERYABLE,
            components      LIST<REFERENCE>,
            issued          TIMESTAMP QUERYABLE SORTABLE,
            name            STRING QUERYABLE SEARCHABLE SORTABLE,
            value           DOUBLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );

        RECORD TYPE Users (
            "___createTime" TIMESTAMP,
            "___createdBy"  REFERENCE,
            "___etag"       STRING,
            "___modTime"    TIMESTAMP,
            "___modifiedBy" REFERENCE,
            "___recordID"   REFERENCE,
            roles           LIST<INT64>,
            GRANT WRITE TO "_creator",
            GRANT READ TO "_world"
        );

    """
