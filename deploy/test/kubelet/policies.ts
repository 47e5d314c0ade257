/** What network policies allow, between pods of the farm's namespace and from pods of others. */
import { type Labels, type Manifest, type Selector, selects } from "../deployment/manifests.ts";

export interface Peer {
  readonly namespace: string;
  readonly labels: Labels;
}
export interface Listener extends Peer {
  /** The container port that a name means, or the number itself. */
  port(nameOrNumber: string | number): number | undefined;
}
interface Rule {
  readonly from?: readonly PeerSelector[];
  readonly to?: readonly PeerSelector[];
  readonly ports?: readonly { readonly port: string | number; readonly protocol?: string }[];
}
interface PeerSelector {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
}

export const farmNamespace = "warpfarm";

function isPeer({ podSelector, namespaceSelector }: PeerSelector, { namespace, labels }: Peer): boolean {
  const isThere = namespaceSelector
    ? selects(namespaceSelector, { "kubernetes.io/metadata.name": namespace })
    : namespace === farmNamespace;
  return isThere && (podSelector === undefined || selects(podSelector, labels));
}

export function isAllowed(objects: readonly Manifest[], from: Peer, to: Listener, port: number): boolean {
  const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
  const of = (peer: Peer, type: "Ingress" | "Egress") =>
    peer.namespace !== farmNamespace
      ? []
      : policies.filter(({ spec }) => spec.policyTypes.includes(type) && selects(spec.podSelector, peer.labels));
  const holds = (type: "Ingress" | "Egress", own: Peer, other: Peer): boolean => {
    const chosen = of(own, type);
    const rules: readonly Rule[] = chosen.flatMap(({ spec }) => spec[type.toLowerCase()] ?? []);
    return (
      chosen.length === 0 ||
      rules.some((rule) => {
        const peers = type === "Ingress" ? rule.from : rule.to;
        const ports = rule.ports?.filter(({ protocol = "TCP" }) => protocol === "TCP");
        return (
          (peers === undefined || peers.some((peer) => isPeer(peer, other))) &&
          (ports === undefined || ports.some((one) => to.port(one.port) === port))
        );
      })
    );
  };
  return holds("Egress", from, to) && holds("Ingress", to, from);
}

/** Whether a pod may ask for names: UDP and TCP 53, anywhere. */
export function mayAskNames(objects: readonly Manifest[], labels: Labels): boolean {
  const open = objects
    .filter(
      ({ kind, spec }) => kind === "NetworkPolicy" && spec.policyTypes.includes("Egress") && selects(spec.podSelector, labels),
    )
    .flatMap(({ spec }): readonly Rule[] => spec.egress ?? [])
    .filter(({ to }) => to === undefined)
    .flatMap(({ ports = [] }) => ports.map(({ port, protocol = "TCP" }) => `${protocol}/${port}`));
  return open.includes("UDP/53") && open.includes("TCP/53");
}
