import { collectionPath, type CronJob, cronJobs, jobs, objectPath } from "@kintsugi/api";
import type { KubectlCommand } from "../kubectl-command.ts";
import { type KubectlAnswer, type KubectlWorld, sendChange, told } from "../kubectl-world.ts";
import { call } from "../read-objects.ts";

/** Creates the Job of a CronJob now, as `kubectl create job --from` does. @throws ApiError */
export async function createJob(
  { namespace, job, cronJob }: Extract<KubectlCommand, { is: "create" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const { metadata, spec } = (await call(world, objectPath(cronJobs, { namespace, name: cronJob }))) as CronJob;
  const template = spec?.jobTemplate;
  const body = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: job,
      labels: template?.metadata?.labels,
      annotations: { ...template?.metadata?.annotations, "cronjob.kubernetes.io/instantiate": "manual" },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name: cronJob, uid: metadata.uid, controller: true },
      ],
    },
    spec: template?.spec,
  };
  await sendChange(world, { method: "POST", path: collectionPath(jobs, namespace), body });
  return told([`job.batch/${job} created`]);
}
