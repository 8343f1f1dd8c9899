import type { Faults } from "../../../../validation/faults.ts";
import { checkLabel1035 } from "../../../../values/names.ts";
import type { CustomResourceDefinitionSpec } from "../custom-resource-definition.ts";

type Conversion = NonNullable<CustomResourceDefinitionSpec["conversion"]>;
type ClientConfig = NonNullable<NonNullable<Conversion["webhook"]>["clientConfig"]>;

/** Paths follow upstream's internal version, which does not nest the webhook. */
export function validateConversion(conversion: Conversion | undefined, path: string, faults: Faults): void {
  if (conversion === undefined) return;
  const { strategy, webhook } = conversion;
  faults.oneOf(`${path}.strategy`, strategy, ["None", "Webhook"]);
  const at = `${path}.webhookClientConfig`;
  const versions = `${path}.conversionReviewVersions`;
  if (strategy === "Webhook") {
    if (webhook?.clientConfig === undefined) faults.required(at, "required when strategy is set to Webhook");
    else validateClientConfig(webhook.clientConfig, at, faults);
    validateReviewVersions(webhook?.conversionReviewVersions ?? [], versions, faults);
    return;
  }
  const why = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) faults.forbidden(at, why);
  if ((webhook?.conversionReviewVersions ?? []).length > 0) faults.forbidden(versions, why);
}

function validateClientConfig({ url, service, caBundle = "" }: ClientConfig, path: string, faults: Faults): void {
  if ((url === undefined) === (service === undefined)) {
    faults.required(path, "exactly one of url or service is required");
  } else if (url !== undefined) validateUrl(url, `${path}.url`, faults);
  else if (service !== undefined) validateService(service, `${path}.service`, faults);
  if (caBundle !== "" && !atob(caBundle).includes("-----BEGIN CERTIFICATE-----")) {
    const why = "unable to load root certificates: unable to parse bytes as PEM block";
    faults.invalid(`${path}.caBundle`, caBundle, why);
  }
}

function validateUrl(text: string, path: string, faults: Faults): void {
  const form = "desired format: https://host[/path]";
  if (!URL.canParse(text)) return faults.required(path, `url must be a valid URL; ${form}`);
  const url = new URL(text);
  if (url.protocol !== "https:") {
    faults.invalid(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`);
  }
  if (url.host === "") faults.invalid(path, url.host, `host must be specified; ${form}`);
  if (url.username !== "" || url.password !== "") {
    faults.invalid(path, url.username, "user information is not permitted in the URL");
  }
  if (url.hash !== "") faults.invalid(path, url.hash.slice(1), "fragments are not permitted in the URL");
  if (url.search !== "") faults.invalid(path, url.search.slice(1), "query parameters are not permitted in the URL");
}

function validateService(service: NonNullable<ClientConfig["service"]>, path: string, faults: Faults): void {
  const { name, namespace, path: place, port } = service;
  if (name === "") faults.required(`${path}.name`, "service name is required");
  if (namespace === "") faults.required(`${path}.namespace`, "service namespace is required");
  if (port !== undefined && (port < 1 || port > 65_535)) {
    faults.invalid(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (place === undefined) return;
  if (!place.startsWith("/")) faults.invalid(`${path}.path`, place, "must start with a '/'");
  if (place.includes("//")) faults.invalid(`${path}.path`, place, "segment must not be empty");
}

const reviewVersions = ["v1", "v1beta1"];

function validateReviewVersions(versions: readonly string[], path: string, faults: Faults): void {
  if (versions.length === 0) return faults.required(path);
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) faults.invalid(`${path}[${index}]`, version, "duplicate version");
    else faults.invalidEach(`${path}[${index}]`, version, checkLabel1035(version));
    seen.add(version);
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    faults.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`);
  }
}
