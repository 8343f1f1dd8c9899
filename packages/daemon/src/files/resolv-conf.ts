/** The configuration of a resolver. */
interface ResolverConfig {
  servers: string[];
  searches: string[];
  /** "ndots:5", "rotate". */
  options: string[];
}

/** A resolv.conf (man 5 resolv.conf); its last `search` counts. */
export function parseResolvConf(text: string): ResolverConfig {
  const lines = text.split("\n").map((line) => line.trim().split(/\s+/));
  const valuesOf = (keyword: string) => lines.filter(([first]) => first === keyword).map(([, ...rest]) => rest);
  return {
    servers: valuesOf("nameserver").flatMap(([address]) => (address === undefined ? [] : [address])),
    searches: (valuesOf("search").at(-1) ?? []).map((path) => (path === "." ? path : path.replace(/\.$/, ""))),
    options: mergedOptions([], valuesOf("options").flat()),
  };
}

/** The later of two options with the same name counts. */
export function mergedOptions(base: readonly string[], own: readonly string[]): string[] {
  return [...new Map([...base, ...own].map((option) => [option.split(":")[0], option])).values()];
}
