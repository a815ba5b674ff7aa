{{/* The configuration file: what the chart knows, and config over it. */}}
{{- define "tessera.config" -}}
{{- include "tessera.checkValues" . -}}
{{- $engine := dict "id" .Release.Name "nodes" (include "tessera.nodes" . | fromYamlArray) -}}
{{- $limit := dig "limits" "memory" "" .Values.resources | toJson | trimAll "\"" -}}
{{- if $limit -}}
{{- $bytes := mulf (include "tessera.quantity" $limit | float64) .Values.memory.fraction | floor | int64 -}}
{{- $_ := set $engine "max_server_memory_usage" (printf "%dB" $bytes) -}}
{{- else -}}
{{- $_ := set $engine "max_server_memory_usage_to_ram_ratio" .Values.memory.fraction -}}
{{- end -}}
{{- $computed := dict
  "schema_version" "1.0"
  "instance" (dict "id" (include "tessera.instanceId" .))
  "endpoints" (dict
    "http" (dict "listeners" (list (dict "type" "tcp" "port" 3473)))
    "postgres" (dict "listeners" (list (dict "type" "tcp" "port" 5432))))
  "engine" $engine
-}}
{{- $cpu := dig "limits" "cpu" "" .Values.resources | toJson | trimAll "\"" -}}
{{- if $cpu -}}
{{- $_ := set $computed "execution" (dict "max_threads" (include "tessera.quantity" $cpu | float64 | ceil | int64)) -}}
{{- end -}}
{{- if .Values.minio.enabled -}}
{{- $endpoint := printf "http://%s.%s.svc.%s:9000" (include "tessera.minio" .) .Release.Namespace .Values.clusterDomain -}}
{{- $_ := set $computed "storage" (dict "type" "minio" "minio" (dict "endpoint" $endpoint)) -}}
{{- end -}}
{{- if .Values.auth.native.enabled -}}
{{- $_ := set $computed "auth" (dict
  "mode" "native"
  "instance_id" (printf "https://%s.%s.svc.%s" (include "tessera.fullname" .) .Release.Namespace .Values.clusterDomain)
  "native" (dict
    "initial_user" (dict "name" .Values.auth.native.user "password" "${env:TESSERA_INITIAL_PASSWORD}")
    "signing_algorithm" "ES256"
    "signing_keys" (list (dict "id" "chart" "private_key_path" "/var/run/secrets/tessera/auth/signing-key.pem")))) -}}
{{- end -}}
{{- mergeOverwrite $computed (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{/* What is merged, as YAML: the duration of the drain is read from it. */}}
{{- define "tessera.nodes" -}}
{{- range until (int .Values.replicas) }}
- host: {{ include "tessera.fullname" $ }}-{{ . }}.{{ include "tessera.headless" $ }}.{{ $.Release.Namespace }}.svc.{{ $.Values.clusterDomain }}
{{- end }}
{{- end -}}

{{/* A ULID of its own for each installation, always the same for the same: two of them may share a bucket. */}}
{{- define "tessera.instanceId" -}}
0{{ printf "%s/%s" .Release.Namespace .Release.Name | sha256sum | upper | trunc 25 }}
{{- end -}}

{{- define "tessera.checkValues" -}}
{{- $config := .Values.config -}}
{{- if dig "engine" "nodes" "" $config -}}
{{- fail "config.engine.nodes: the chart computes the nodes; set replicas" -}}
{{- end -}}
{{- if $config.endpoints -}}
{{- fail "config.endpoints: the ports of the pods are fixed; set service.httpPort and service.postgresPort" -}}
{{- end -}}
{{- $isLocal := not (or $config.storage .Values.minio.enabled) -}}
{{- if and $isLocal (gt (int .Values.replicas) 1) -}}
{{- fail "replicas: more than one node needs a store that all of them reach: give config.storage (or minio.enabled to try)" -}}
{{- end -}}
{{- if and $isLocal (not .Values.persistence.enabled) -}}
{{- fail "persistence.enabled: without config.storage the tables are in the volume of the pod; an emptyDir would lose them" -}}
{{- end -}}
{{- if and $config.auth .Values.auth.native.enabled (ne (dig "auth" "mode" "native" $config) "native") -}}
{{- fail "auth.native.enabled contradicts config.auth.mode" -}}
{{- end -}}
{{- end -}}
