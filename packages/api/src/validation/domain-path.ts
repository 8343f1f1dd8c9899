import { checkSubdomain1123 } from "../values/names.ts";
import type { Faults } from "./faults.ts";

/** Allowed characters in a path of HTTP, as upstream spells them. */
const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPathExpression = new RegExp(`^${httpPath}$`);

/** Applies the rules of IsDomainPrefixedPath of apimachinery. */
export function validateDomainPath(text: string, field: string, faults: Faults): void {
  const slash = text.indexOf("/");
  const [host, path] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (text === "") faults.required(field);
  else if (host === "" || path === "") {
    faults.invalid(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    faults.invalidEach(field, host, checkSubdomain1123(host));
    if (!httpPathExpression.test(path)) {
      faults.invalid(field, path, `Invalid path (regex used for validation is '${httpPath}')`);
    }
  }
}
