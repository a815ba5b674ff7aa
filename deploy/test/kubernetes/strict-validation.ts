import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';

/**
 * The validators are generated from the OpenAPI description of Kubernetes and from the definitions of the
 * Prometheus operator.
 */
const MODELS = [
  ...[ConfigMap, Deployment, Ingress, NetworkPolicy, PodDisruptionBudget, PrometheusRule, Secret],
  ...[Service, ServiceAccount, ServiceMonitor, StatefulSet],
];

/**
 * Returns what the API server would refuse about an object under strict validation: invalid values, and unknown
 * fields. The schemas accept unknown fields, which are found as the fields that no part of the validator has
 * read.
 */
export function faultsOf(object: { readonly apiVersion: string; readonly kind: string }): string[] {
  const model = MODELS.find((one) => one.is(object));
  if (model === undefined) return [`no schema for ${object.apiVersion} ${object.kind}`];
  const watched = new WatchedValue(object, '');
  try {
    model.prototype.validate.call(watched.value);
  } catch (error) {
    return [(error as Error).message];
  }
  return watched.unseen();
}

/** Wraps an object or array and records which of its fields are read. */
class WatchedValue {
  readonly value: object;
  readonly #target: object;
  readonly #path: string;
  readonly #seen = new Set<string>();
  readonly #inner = new Map<string, WatchedValue>();

  constructor(target: object, path: string) {
    this.#target = target;
    this.#path = path;
    this.value = new Proxy(target, {
      get: (_, key) => this.#get(key),
      // Listing the fields counts as using all of them.
      ownKeys: () => {
        for (const key of Object.keys(target)) this.#seen.add(key);
        return Reflect.ownKeys(target);
      },
    });
  }

  #get(key: string | symbol): unknown {
    const value: unknown = Reflect.get(this.#target, key);
    if (typeof key === 'symbol') return value;
    this.#seen.add(key);
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#inner.get(key) ?? new WatchedValue(value, `${this.#path}/${key}`);
    this.#inner.set(key, known);
    return known.value;
  }

  unseen(): string[] {
    const own = Object.keys(this.#target).filter((key) => !this.#seen.has(key));
    return [
      ...own.map((key) => `${this.#path}/${key} is no field of it`),
      ...[...this.#inner.values()].flatMap((inner) => inner.unseen()),
    ];
  }
}
