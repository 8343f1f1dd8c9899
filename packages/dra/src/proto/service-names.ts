/** The supported services, by the names under which drivers register them; the newest first. */
export const deviceServiceNames = ["v1.DRAPlugin", "v1beta1.DRAPlugin"] as const;

export type DeviceServiceName = (typeof deviceServiceNames)[number];
