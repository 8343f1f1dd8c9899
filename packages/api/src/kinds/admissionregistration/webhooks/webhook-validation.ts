import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { checkLabel1035, checkPortNumber, checkSubdomain1123 } from "../../../values/names.ts";
import { validateMatchConditions } from "./match-conditions.ts";
import { supported, validateRule } from "./rule-validation.ts";
import type { Webhook, WebhookClientConfig } from "./webhook.ts";

/** The versions of AdmissionReview that the API server sends. */
const admissionReviewVersions: readonly string[] = ["v1", "v1beta1"];

const failurePolicies = ["Fail", "Ignore"];
const matchPolicies = ["Equivalent", "Exact"];
const sideEffectClasses = ["None", "NoneOnDryRun"];

/** The rules follow pkg/apis/admissionregistration/validation. */
export function validateWebhooks(webhooks: readonly Webhook[], faults: Faults): void {
  const names = new Set<string>();
  for (const [index, webhook] of webhooks.entries()) {
    const path = `webhooks[${index}]`;
    validateWebhook(webhook, path, faults);
    validateReviewVersions(webhook.admissionReviewVersions, `${path}.admissionReviewVersions`, faults);
    if (webhook.name !== "" && names.has(webhook.name)) faults.duplicate(`${path}.name`, webhook.name);
    names.add(webhook.name);
  }
}

function validateWebhook(webhook: Webhook, path: string, faults: Faults): void {
  validateName(webhook.name, `${path}.name`, faults);
  for (const [index, rule] of (webhook.rules ?? []).entries()) validateRule(rule, `${path}.rules[${index}]`, faults);
  supported(faults, `${path}.failurePolicy`, [webhook.failurePolicy, failurePolicies]);
  supported(faults, `${path}.matchPolicy`, [webhook.matchPolicy, matchPolicies]);
  const { sideEffects, timeoutSeconds: timeout } = webhook;
  // The type allows only two values, but a client may send any text.
  if ((sideEffects as string) === "") {
    faults.required(`${path}.sideEffects`, `must specify one of ${sideEffectClasses.join(", ")}`);
  } else supported(faults, `${path}.sideEffects`, [sideEffects, sideEffectClasses]);
  if (timeout !== undefined && (timeout < 1 || timeout > 30)) {
    faults.invalid(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds");
  }
  validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`, faults);
  validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`, faults);
  validateClientConfig(webhook.clientConfig, `${path}.clientConfig`, faults);
  validateMatchConditions(webhook.matchConditions ?? [], `${path}.matchConditions`, faults);
}

/** Upstream's IsFullyQualifiedName. */
function validateName(name: string, path: string, faults: Faults): void {
  if (name === "") return faults.required(path);
  const problems = checkSubdomain1123(name);
  if (problems.length > 0) return faults.invalid(path, name, problems.join(","));
  if (name.split(".").length >= 3) return;
  faults.invalid(path, name, "should be a domain with at least three segments separated by dots");
}

function validateReviewVersions(versions: readonly string[], path: string, faults: Faults): void {
  const accepted = admissionReviewVersions.join(", ");
  if (versions.length === 0) return faults.required(path, `must specify one of ${accepted}`);
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) faults.invalid(`${path}[${index}]`, version, "duplicate version");
    else faults.invalidEach(`${path}[${index}]`, version, checkLabel1035(version));
    seen.add(version);
  }
  if (!admissionReviewVersions.some((version) => seen.has(version))) {
    faults.invalid(path, versions, `must include at least one of ${accepted}`);
  }
}

function validateClientConfig({ url, service }: WebhookClientConfig, path: string, faults: Faults): void {
  if ((url === undefined) === (service === undefined)) {
    return faults.required(path, "exactly one of url or service is required");
  }
  if (url !== undefined) return validateUrl(url, `${path}.url`, faults);
  const { name = "", namespace = "", port = 0, path: urlPath } = service ?? {};
  if (name === "") faults.required(`${path}.service.name`, "service name is required");
  if (namespace === "") faults.required(`${path}.service.namespace`, "service namespace is required");
  const problems = checkPortNumber(port);
  if (problems.length > 0) {
    faults.invalid(`${path}.service.port`, port, `port is not valid: ${problems.join(", ")}`);
  }
  if (urlPath !== undefined) validateServicePath(urlPath, `${path}.service.path`, faults);
}

const form = "; desired format: https://host[/path]";

function validateUrl(text: string, path: string, faults: Faults): void {
  // The parts are not parsed with URL because URL adds, drops and repairs parts.
  const [, scheme = "", host, rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?(.*)$/s.exec(text) ?? [];
  if (scheme !== "https") faults.invalid(path, scheme, `'https' is the only allowed URL scheme${form}`);
  const at = host?.lastIndexOf("@") ?? -1;
  const server = host?.slice(at + 1) ?? "";
  if (server === "") faults.invalid(path, "", `host must be provided${form}`);
  else if (!URL.canParse(text)) faults.required(path, `url must be a valid URL: parse ${JSON.stringify(text)}${form}`);
  if (at >= 0) faults.invalid(path, host?.slice(0, at) ?? "", "user information is not permitted in the URL");
  const [beforeFragment = "", fragment = ""] = splitAt(rest, "#");
  if (fragment !== "") faults.invalid(path, fragment, "fragments are not permitted in the URL");
  const [, query = ""] = splitAt(beforeFragment, "?");
  if (query !== "") faults.invalid(path, query, "query parameters are not permitted in the URL");
}

function splitAt(text: string, mark: string): string[] {
  const index = text.indexOf(mark);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function validateServicePath(text: string, path: string, faults: Faults): void {
  if (text === "" || text === "/") return;
  if (text === "//") return faults.invalid(path, text, "segment[0] may not be empty");
  if (!text.startsWith("/")) faults.invalid(path, text, "must start with a '/'");
  const inner = text.slice(1).replace(/\/$/, "");
  for (const [index, segment] of inner.split("/").entries()) {
    if (segment === "") faults.invalid(path, text, `segment[${index}] may not be empty`);
    else {
      const problems = checkSubdomain1123(segment).map((problem) => `segment[${index}]: ${problem}`);
      faults.invalidEach(path, text, problems);
    }
  }
}
