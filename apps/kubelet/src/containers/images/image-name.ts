/**
 * A reference as the runtime requires it: with a tag or digest, and without parts that a registry
 * does not support. Docker's grammar: [host[:port]/]path[:tag][@digest].
 */
export function parseImageName(image: string): { ok: true; reference: string } | { ok: false; because: string } {
  if (image === "") return { ok: false, because: "invalid reference format" };
  const [nameAndTag = "", digest, ...rest] = image.split("@");
  if (rest.length > 0) return { ok: false, because: "invalid reference format" };
  if (digest !== undefined && !/^[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}$/.test(digest)) {
    return { ok: false, because: "invalid reference format" };
  }
  const lastSlash = nameAndTag.lastIndexOf("/");
  const colon = nameAndTag.indexOf(":", lastSlash + 1);
  const name = colon < 0 ? nameAndTag : nameAndTag.slice(0, colon);
  const tag = colon < 0 ? undefined : nameAndTag.slice(colon + 1);
  if (tag !== undefined && !/^\w[\w.-]{0,127}$/.test(tag)) return { ok: false, because: "invalid reference format" };
  const withoutHost = isHost(name.split("/")[0] ?? "") && name.includes("/") ? name.slice(name.indexOf("/") + 1) : name;
  if (/[A-Z]/.test(withoutHost)) {
    return { ok: false, because: "invalid reference format: repository name must be lowercase" };
  }
  if (!/^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/.test(withoutHost)) {
    return { ok: false, because: "invalid reference format" };
  }
  return { ok: true, reference: tag === undefined && digest === undefined ? `${image}:latest` : image };
}

/** Upstream's default for a pod without a policy: Always for :latest, else IfNotPresent. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  const parsed = parseImageName(image);
  return parsed.ok && parsed.reference.endsWith(":latest") ? "Always" : "IfNotPresent";
}

function isHost(part: string): boolean {
  return part === "localhost" || /[.:]/.test(part);
}
