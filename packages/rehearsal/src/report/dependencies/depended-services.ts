import {
  type Deployment,
  deployments,
  matchesLabels,
  mutatingWebhookConfigurations,
  type Pod,
  pods,
  type Service,
  services,
  statefulSets,
  toSelector,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../../picture/picture.ts";

/** Installers give the Service of the name servers this label, regardless of the Service's name. */
const nameServers = { label: "k8s-app", value: "kube-dns" } as const;
/** Services of name servers without the label: "namespace/name". */
const nameServices: readonly string[] = ["kube-system/kube-dns", "openshift-dns/dns-default"];

/** A webhook whose missing answer rejects the request. */
export interface ClosedWebhook {
  readonly name: string;
  /** The Service that answers: "namespace/name". */
  readonly service: string;
  /** The resources whose requests the webhook reviews: "pods", "*". */
  readonly resources: readonly string[];
}

/** The webhooks of Services with `failurePolicy: Fail`, which is the default. */
export function closedWebhooks(picture: ClusterPicture): ClosedWebhook[] {
  const configurations: readonly ValidatingWebhookConfiguration[] = [
    ...objectsOf(picture, validatingWebhookConfigurations),
    ...objectsOf(picture, mutatingWebhookConfigurations),
  ];
  return configurations.flatMap(({ webhooks = [] }) =>
    webhooks.flatMap(({ name, failurePolicy, clientConfig: { service }, rules = [] }) => {
      if (failurePolicy === "Ignore" || service === undefined) return [];
      const resources = [...new Set(rules.flatMap((rule) => rule.resources ?? []))];
      return [{ name, service: `${service.namespace}/${service.name}`, resources }];
    }),
  );
}

/** Programs find each other by name through this Service. */
export function servesNames(service: Service): boolean {
  const { labels } = service.metadata;
  return labels?.[nameServers.label] === nameServers.value || nameServices.includes(serviceKey(service));
}

export function serviceKey({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** The pods that a Service selects; undefined for a Service without a selector. */
export function podsBehind(picture: ClusterPicture, { metadata, spec }: Service): Pod[] | undefined {
  const { selector } = spec ?? {};
  if (selector === undefined || Object.keys(selector).length === 0) return undefined;
  const parsed = toSelector({ matchLabels: selector });
  return objectsOf<Pod>(picture, pods).filter(
    (pod) => pod.metadata.namespace === metadata.namespace && matchesLabels(parsed, pod.metadata.labels),
  );
}

export function findService(picture: ClusterPicture, key: string): Service | undefined {
  return objectsOf<Service>(picture, services).find((service) => serviceKey(service) === key);
}

/** The API does not show that a program is an operator, so its name decides. */
export function operatorsIn(picture: ClusterPicture): { readonly workload: string; readonly replicas: number }[] {
  return ([deployments, statefulSets] as const).flatMap(({ resource, kind }) =>
    ((picture.objects.get(resource) ?? []) as readonly Deployment[]).flatMap(({ metadata, spec }) =>
      /(^|-)(operator|controller|controller-manager)(-|$)/.test(metadata.name ?? "")
        ? [
            {
              workload: `${metadata.namespace}/${kind.toLowerCase()}/${metadata.name}`,
              replicas: spec?.replicas ?? 1,
            },
          ]
        : [],
    ),
  );
}
