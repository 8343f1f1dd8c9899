import { dataDirSetting } from "./command/data-dir.ts";
import { nameSetting } from "./command/name.ts";
import { waitSetting } from "./command/wait.ts";
import { apiPortSetting } from "./control-plane/api-port.ts";
import { apiServerArgSetting } from "./control-plane/api-server-arg.ts";
import { controllerManagerArgSetting } from "./control-plane/controller-manager-arg.ts";
import { externalIpsSetting } from "./control-plane/external-ips.ts";
import { kubernetesVersionSetting } from "./control-plane/kubernetes-version.ts";
import { profileSetting } from "./control-plane/profile.ts";
import { rebalanceSetting } from "./control-plane/rebalance.ts";
import { schedulerArgSetting } from "./control-plane/scheduler-arg.ts";
import { serversSetting } from "./control-plane/servers.ts";
import { tracesSetting } from "./control-plane/traces.ts";
import { auditPolicySetting } from "./files/audit-policy.ts";
import { authenticationSetting } from "./files/authentication.ts";
import { encryptionSetting } from "./files/encryption.ts";
import { devicesSetting } from "./nodes/devices.ts";
import { hollowSetting } from "./nodes/hollow.ts";
import { imagesSetting } from "./nodes/images.ts";
import { kubeletArgSetting } from "./nodes/kubelet-arg.ts";
import { nodesSetting } from "./nodes/nodes.ts";
import { ociRuntimeSetting } from "./nodes/oci-runtime.ts";
import { portForwardsSetting } from "./nodes/port-forwards.ts";
import { proxySetting } from "./nodes/proxy.ts";
import { insecureRegistrySetting, registryMirrorSetting } from "./nodes/registries.ts";
import { cloudSetting } from "./parts/cloud.ts";
import { csiSetting } from "./parts/csi.ts";
import { egressSetting } from "./parts/egress.ts";
import { ingressSetting } from "./parts/ingress.ts";

/** Every setting of `kintsugi up`, in the order of its help. */
export const settings = [
  ingressSetting,
  devicesSetting,
  externalIpsSetting,
  rebalanceSetting,
  tracesSetting,
  hollowSetting,
  serversSetting,
  nameSetting,
  nodesSetting,
  profileSetting,
  dataDirSetting,
  apiPortSetting,
  insecureRegistrySetting,
  registryMirrorSetting,
  kubeletArgSetting,
  apiServerArgSetting,
  controllerManagerArgSetting,
  schedulerArgSetting,
  ociRuntimeSetting,
  proxySetting,
  csiSetting,
  cloudSetting,
  egressSetting,
  kubernetesVersionSetting,
  waitSetting,
  imagesSetting,
  portForwardsSetting,
  auditPolicySetting,
  authenticationSetting,
  encryptionSetting,
] as const;
