import { Deployment, deployments } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const deploymentResource = defineResource<Deployment>({
  type: deployments,
  schema: Deployment,
  subresources: ["scale", "status"],
  rules: {
    status: true,
    generation: true,
    resetFields: { status: { "f:metadata": { "f:labels": {} } } },
    prepareForCreate: (deployment) => {
      deployment.status = {};
    },
    prepareForUpdate: (deployment, before, { subresource }) => {
      // As upstream: what a status is written with says nothing about labels.
      if (subresource === "status") keepLabels(deployment, before);
    },
  },
});

function keepLabels({ metadata }: Deployment, before: Deployment): void {
  if (before.metadata.labels === undefined) delete metadata.labels;
  else metadata.labels = before.metadata.labels;
}
