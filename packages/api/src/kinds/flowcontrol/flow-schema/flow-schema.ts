import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, keyedList, setList, text, time } from "../../../schema/types.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

const UserSubject = object(`${prefix}.UserSubject`, "UserSubject matches a user.", () => ({
  name: required(1, text, "Name of the user, or * for all users."),
}));

const GroupSubject = object(`${prefix}.GroupSubject`, "GroupSubject matches a group of users.", () => ({
  name: required(1, text, "Name of the group, or * for all groups."),
}));

const ServiceAccountSubject = object(
  `${prefix}.ServiceAccountSubject`,
  "ServiceAccountSubject matches a service account.",
  () => ({
    namespace: required(1, text, "Namespace of the service account."),
    name: required(2, text, "Name of the service account, or * for all accounts of the namespace."),
  }),
);

export const FlowSubject = object(`${prefix}.Subject`, "Subject matches the user of a request.", () => ({
  kind: required(1, text, "Kind of the subject: User, Group or ServiceAccount."),
  user: field(2, UserSubject, "User to match. Applies only to the kind User."),
  group: field(3, GroupSubject, "Group to match. Applies only to the kind Group."),
  serviceAccount: field(4, ServiceAccountSubject, "Service account to match. Applies only to the kind ServiceAccount."),
}));
export type FlowSubject = z.infer<typeof FlowSubject>;

export const FlowResourceRule = object(
  `${prefix}.ResourcePolicyRule`,
  "ResourcePolicyRule matches requests by verb, API group, resource and namespace.",
  () => ({
    verbs: required(1, setList(text), "Verbs that the rule matches, or * for all."),
    apiGroups: required(2, setList(text), "API groups that the rule matches, or * for all."),
    resources: required(3, setList(text), "Resources and subresources that the rule matches, or * for all."),
    clusterScope: field(4, bool, "Matches requests without a namespace if true."),
    namespaces: field(5, setList(text), "Namespaces that the rule matches, or * for all."),
  }),
);
export type FlowResourceRule = z.infer<typeof FlowResourceRule>;

export const FlowNonResourceRule = object(
  `${prefix}.NonResourcePolicyRule`,
  "NonResourcePolicyRule matches requests for paths that are not resources of the API.",
  () => ({
    verbs: required(1, setList(text), "Verbs that the rule matches, or * for all."),
    nonResourceURLs: required(6, setList(text), "Paths that the rule matches, such as /healthz, /healthz/* or *."),
  }),
);
export type FlowNonResourceRule = z.infer<typeof FlowNonResourceRule>;

export const FlowRules = object(
  `${prefix}.PolicyRulesWithSubjects`,
  "PolicyRulesWithSubjects matches a request if the user matches at least one subject and the request matches at least one rule.",
  () => ({
    subjects: required(
      1,
      atomicList(FlowSubject),
      "Subjects of the rule. The user must match at least one subject. Must not be empty.",
    ),
    resourceRules: field(2, atomicList(FlowResourceRule), "Rules for requests to resources."),
    nonResourceRules: field(3, atomicList(FlowNonResourceRule), "Rules for requests to paths that are not resources."),
  }),
);
export type FlowRules = z.infer<typeof FlowRules>;

const PriorityLevelReference = object(
  `${prefix}.PriorityLevelConfigurationReference`,
  "PriorityLevelConfigurationReference refers to a PriorityLevelConfiguration.",
  () => ({ name: required(1, text, "Name of the priority level.") }),
);

const FlowDistinguisherMethod = object(
  `${prefix}.FlowDistinguisherMethod`,
  "FlowDistinguisherMethod divides the requests of a schema into flows.",
  () => ({ type: required(1, text, "Type of the method: ByUser or ByNamespace.") }),
);

const FlowSchemaSpec = object(
  `${prefix}.FlowSchemaSpec`,
  "Requests that the schema matches, and their priority level.",
  () => ({
    priorityLevelConfiguration: required(1, PriorityLevelReference, "Priority level of the requests."),
    matchingPrecedence: field(
      2,
      int32,
      "Precedence of the schema, from 1 to 10000. The matching schema with the lowest number is used. Defaults to 1000.",
    ),
    distinguisherMethod: field(
      3,
      FlowDistinguisherMethod,
      "Method that divides the requests into flows. If unset, all requests form one flow.",
    ),
    rules: field(4, atomicList(FlowRules), "Rules that select requests. A request must match at least one rule."),
  }),
);

/** The conditions of both kinds have the same form under two names. */
export function flowConditions(name: string) {
  const Condition = object(`${prefix}.${name}`, "Condition describes one aspect of an object's state.", () => ({
    type: field(1, text, "Type of the condition."),
    status: field(2, text, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
  }));
  return keyedList(Condition, ["type"]);
}

export const FlowSchema = kind(
  `${prefix}.FlowSchema`,
  "A FlowSchema assigns requests to a priority level and divides the requests into flows. Each flow receives a fair share of the priority level.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(2, FlowSchemaSpec, "Requests of the schema and their priority level."),
    status: field(
      3,
      object(`${prefix}.FlowSchemaStatus`, "Observed state of a FlowSchema.", () => ({
        conditions: field(
          1,
          flowConditions("FlowSchemaCondition"),
          "Observed conditions of the schema. Dangling is True if the priority level does not exist.",
        ),
      })),
      "Observed state of the schema.",
    ),
  }),
);
export type FlowSchema = z.infer<typeof FlowSchema>;
