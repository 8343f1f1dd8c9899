import { celFunc, celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";
import {
  asPrefix,
  checkLabel1035,
  checkLabel1123,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain1123,
  isTimestamp,
  type NameCheck,
} from "@kintsugi/api";
import { optionalOf } from "./optionals.ts";

const { DYN, STRING } = CelScalar;
const OBJECT = mapType(DYN, DYN);

/** Marks a map that represents a format of strings. */
const mark = "@format";

const byForm =
  (form: RegExp, fault: string): NameCheck =>
  (text) =>
    form.test(text) ? [] : [fault];

const formats: Readonly<Record<string, NameCheck>> = {
  dns1123Label: checkLabel1123,
  dns1123Subdomain: checkSubdomain1123,
  dns1035Label: checkLabel1035,
  qualifiedName: checkQualifiedName,
  dns1123LabelPrefix: asPrefix(checkLabel1123),
  dns1123SubdomainPrefix: asPrefix(checkSubdomain1123),
  dns1035LabelPrefix: asPrefix(checkLabel1035),
  labelValue: checkLabelValue,
  uri: (text) => (URL.canParse(text) || /^\/\S*$/.test(text) ? [] : ["invalid URI"]),
  uuid: byForm(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i, "does not match the UUID format"),
  byte: byForm(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "invalid base64"),
  date: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) && isTimestamp(`${text}T00:00:00Z`) ? [] : ["invalid date"]),
  datetime: (text) => (isTimestamp(text.toUpperCase()) ? [] : ["invalid datetime"]),
};

function formatNamed(name: string): never {
  return celMap(new Map([[mark, name]]) as never) as never;
}

/** Kubernetes' library of formats. */
export const formatFunctions = [
  ...Object.keys(formats).map((name) => celFunc(`format.${name}`, [], DYN, () => formatNamed(name))),
  celFunc(
    "format.named",
    [STRING],
    DYN,
    (name) => optionalOf(Object.hasOwn(formats, name) ? formatNamed(name) : undefined) as never,
  ),
  celMethod("validate", OBJECT, [STRING], DYN, function (text) {
    const name = this.get(mark);
    const check = typeof name === "string" ? formats[name] : undefined;
    if (check === undefined) throw new Error("no such overload: the value is not a format");
    const faults = check(text);
    return optionalOf(faults.length === 0 ? undefined : faults) as never;
  }),
];
