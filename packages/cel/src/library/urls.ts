import { celFunc, celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";

const { BOOL, DYN, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Marks a map that represents a URL. */
const mark = "@url";

interface UrlParts {
  scheme: string;
  host: string;
  port: string;
  path: string;
  query: string;
}

/**
 * Go's url.ParseRequestURI: a URL with its scheme, or an absolute path. Other texts are not URLs.
 */
function partsOf(text: string): UrlParts | undefined {
  const match =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:[^/?#@]*@)?(\[[0-9A-Fa-f:.]*\]|[^/?#:]*)(?::(\d*))?)?([^?]*)(?:\?(.*))?$/.exec(
      text,
    );
  if (match === null || /[\s<>"{}|\\^`]/.test(text)) return undefined;
  const [, scheme = "", host = "", port = "", path = "", query = ""] = match;
  if (scheme === "" && !path.startsWith("/") && host === "") return undefined;
  return { scheme: scheme.toLowerCase(), host, port, path, query };
}

function urlOf(value: unknown): UrlParts {
  const text = (value as ReturnType<typeof celMap>).get(mark);
  const parts = typeof text === "string" ? partsOf(text) : undefined;
  if (parts === undefined) throw new Error("no such overload: the value is not a URL");
  return parts;
}

function queryOf({ query }: UrlParts): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

const getter = (name: string, read: (parts: UrlParts) => string) =>
  celMethod(name, OBJECT, [], STRING, function () {
    return read(urlOf(this));
  });

export const urlFunctions = [
  celFunc("url", [STRING], DYN, (text) => {
    if (partsOf(text) === undefined)
      throw new Error(`URL parse error during conversion from string: invalid URI ${text}`);
    return celMap(new Map([[mark, text]]) as never) as never;
  }),
  celFunc("isURL", [STRING], BOOL, (text) => partsOf(text) !== undefined),
  getter("getScheme", ({ scheme }) => scheme),
  getter("getHost", ({ host, port }) => (port === "" ? host : `${host}:${port}`)),
  getter("getHostname", ({ host }) => host.replace(/^\[|\]$/g, "")),
  getter("getPort", ({ port }) => port),
  getter("getEscapedPath", ({ path }) => path),
  celMethod("getQuery", OBJECT, [], DYN, function () {
    return celMap(queryOf(urlOf(this)) as never) as never;
  }),
];
