import { isApiError, type Service, services } from "@kintsugi/api";
import { defaultServerOptions, kubernetesService, type ServerOptions } from "@kintsugi/api-server/factory";
import type { Client } from "@kintsugi/client";

/**
 * Makes the Service `kubernetes`, which every cluster has. It has no endpoints, because a loopback
 * address is not allowed as an endpoint. In a data directory the Service already exists from the
 * previous server.
 */
export async function ensureKubernetesService(
  client: Client,
  options: Partial<Pick<ServerOptions, "serviceClusterIpRange">> & { readonly port: number },
): Promise<void> {
  const { port, serviceClusterIpRange } = { ...defaultServerOptions, ...options };
  const service = kubernetesService({ port }, serviceClusterIpRange) as Service;
  const { namespace = "", name = "" } = service.metadata;
  if ((await client.find(services, { namespace, name })) !== undefined) return;
  try {
    await client.create(services, service);
  } catch (error) {
    // The Service's address may belong to a Service that a user made after this Service was
    // deleted.
    if (!isApiError(error, "Invalid")) throw error;
  }
}
