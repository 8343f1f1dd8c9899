import { DerReader, tags } from "./der-reader.ts";
import { InvalidSigningRequest } from "./invalid-signing-request.ts";

// The parts of a request (PKCS #10, RFC 2986) that its subject needs; `·` marks skipped parts:
//
//   SEQUENCE                              the request
//     SEQUENCE                            the signed part
//       INTEGER                           version  ·
//       SEQUENCE                          the subject
//         SET
//           SEQUENCE                      2.5.4.10, "developers"
//         …
//       …                                 key, attributes  ·
//     …                                   signature  ·

/** The user and the groups that a request names. */
export interface RequestSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The request without the surrounding text. */
  readonly der: Uint8Array;
}

/** 2.5.4.3 and 2.5.4.10. */
const attributes = { commonName: "550403", organization: "55040a" } as const;
/** The string types in which a name is written, by tag, as Go reads them. */
const encodings: Readonly<Record<number, string>> = {
  0x0c: "utf-8",
  0x12: "utf-8",
  0x13: "utf-8",
  0x14: "latin1",
  0x16: "utf-8",
  0x1e: "utf-16be",
};
const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/;

/**
 * Reads the subject of a request without checking the signature, which readSignedSubject does.
 * @throws InvalidSigningRequest when it is not a request.
 */
export function readRequestSubject(pem: string): RequestSubject {
  const [, type, base64 = ""] = pemBlock.exec(pem) ?? [];
  if (type !== "CERTIFICATE REQUEST") throw new InvalidSigningRequest("PEM block type must be CERTIFICATE REQUEST");
  const der = Buffer.from(base64, "base64");
  const request = new DerReader(der).enter(tags.sequence).enter(tags.sequence);
  request.take(tags.integer);
  const names = [...namesIn(request.enter(tags.sequence))];
  const valuesOf = (attribute: string) => names.filter(({ type }) => type === attribute).map(({ value }) => value);
  return {
    // Go uses the last of several common names.
    commonName: valuesOf(attributes.commonName).at(-1) ?? "",
    organizations: valuesOf(attributes.organization),
    der,
  };
}

function* namesIn(subject: DerReader): Generator<{ type: string; value: string }> {
  while (!subject.isAtEnd) {
    const set = subject.enter(tags.set);
    while (!set.isAtEnd) {
      const name = set.enter(tags.sequence);
      const type = Buffer.from(name.take(tags.objectIdentifier)).toString("hex");
      const { tag, content } = name.next();
      const isWanted = Object.values<string>(attributes).includes(type);
      if (isWanted) yield { type, value: textOf(tag, content) };
    }
  }
}

function textOf(tag: number, content: Uint8Array): string {
  const encoding = encodings[tag];
  if (encoding === undefined)
    throw new InvalidSigningRequest(`a name in the request's subject is of an unsupported string type: ${tag}`);
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new InvalidSigningRequest("a name in the request's subject is not text", { cause });
  }
}
