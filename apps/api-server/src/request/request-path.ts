import { badRequest } from "@kintsugi/api";

/**
 * Splits a request target into decoded path segments and its query: the one place where a path is decoded. Whatever could be
 * read in two ways by two readers (`..`, `//`, an encoded slash, a second decoding) is refused.
 * @throws ApiError BadRequest.
 */
export function parseTarget(target: string): { path: string; segments: readonly string[]; query: URLSearchParams } {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? noQuery : new URLSearchParams(target.slice(mark + 1));
  return { path, segments: splitPath(path), query };
}

const noQuery: URLSearchParams = Object.freeze(new URLSearchParams());

/** Longer than any group/version/namespace/name (each at most 253) with room to spare. */
const pathLengthMax = 2048;

function splitPath(path: string): string[] {
  if (!path.startsWith("/")) throw badRequest("the request path must start with /");
  if (path.length > pathLengthMax) throw badRequest(`the request path is longer than ${pathLengthMax} characters`);
  // One slash at the end is tolerated: upstream serves "/api/" and "/apis/".
  const trimmed = path.endsWith("/") && path.length > 1 ? path.slice(1, -1) : path.slice(1);
  if (trimmed === "") return [];
  return trimmed.split("/").map(decodeSegment);
}

function decodeSegment(raw: string): string {
  let segment = raw;
  if (raw.includes("%")) {
    try {
      segment = decodeURIComponent(raw);
    } catch {
      throw badRequest("the request path is not well-formed");
    }
  }
  if (segment === "" || segment === "." || segment === "..")
    throw badRequest("the request path has an empty, . or .. segment");
  if (unsafeInSegment.test(segment))
    throw badRequest("the request path has a segment with a character that no name may have");
  return segment;
}

/** Slashes and backslashes however encoded, percent signs that a second decoding would read, parameters, control characters. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const unsafeInSegment = /[/\\%;\u0000-\u001f\u007f]/;
