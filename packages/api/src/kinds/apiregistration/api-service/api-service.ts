import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, type TypeMeta } from "../../../schema/fields.ts";
import { bool, bytes, int32, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

const group = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1";

/** Upstream's OpenAPI has these bytes as an atomic list. */
const authorities = bytes.meta({ format: "byte", listType: "atomic" } satisfies TypeMeta);

const ServiceReference = object(`${group}.ServiceReference`, "The reference names a Service.", () => ({
  namespace: field(1, text, "The Service is in this namespace."),
  name: field(2, text, "The Service has this name."),
  port: field(3, int32, "The Service has this port, from 1 to 65535; the default is 443."),
}));

const APIServiceSpec = object(
  `${group}.APIServiceSpec`,
  "The spec names a version of an API group, and the server of its resources.",
  () => ({
    service: field(1, ServiceReference, "The server is behind this Service; it is the API server itself if absent."),
    group: field(2, text, "The API group has this name."),
    version: field(3, text, "The version has this name, for example v1."),
    insecureSkipTLSVerify: field(
      4,
      bool,
      "The server's certificate is not verified if true, which is strongly discouraged; the default is false.",
    ),
    caBundle: field(
      5,
      authorities,
      "Authorities that sign the server's certificate, in PEM; the default is the machine's authorities.",
    ),
    groupPriorityMinimum: required(
      7,
      int32,
      "The group has at least this priority, from 1 to 20000; clients prefer groups of a higher priority.",
    ),
    versionPriority: required(
      8,
      int32,
      "The version has this priority in its group, from 1 to 1000; clients prefer the highest one.",
    ),
  }),
);
export type APIServiceSpec = z.infer<typeof APIServiceSpec>;

const APIServiceCondition = object(
  `${group}.APIServiceCondition`,
  "The condition describes the state of an APIService.",
  () => ({
    type: required(1, text, "The condition is of this type; the only one is Available."),
    status: required(2, conditionStatus, "The status is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status changed at this time."),
    reason: field(4, text, "The reason is one word in CamelCase."),
    message: field(5, text, "The message explains the reason to people."),
  }),
);
export type APIServiceCondition = z.infer<typeof APIServiceCondition>;

const APIServiceStatus = object(`${group}.APIServiceStatus`, "The status shows whether requests are served.", () => ({
  conditions: field(1, keyedList(APIServiceCondition, ["type"]), "The conditions describe the present state."),
}));

export const APIService = kind(
  `${group}.APIService`,
  'An APIService registers a version of an API group, and is named "version.group".',
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: field(2, APIServiceSpec, "The spec names the version and its server."),
    status: field(3, APIServiceStatus, "The status shows whether requests are served."),
  }),
);
export type APIService = z.infer<typeof APIService>;
