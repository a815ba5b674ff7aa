{{/* Short enough that pods and their revisions, which carry it with something behind, keep within 63 characters. */}}
{{- define "tessera.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 45 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tessera.headless" -}}
{{ include "tessera.fullname" . }}-nodes
{{- end -}}

{{- define "tessera.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "tessera.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{- define "tessera.tokenSecret" -}}
{{ default (printf "%s-cluster-token" (include "tessera.fullname" .)) .Values.clusterToken.existingSecret }}
{{- end -}}

{{- define "tessera.authSecret" -}}
{{ default (printf "%s-auth" (include "tessera.fullname" .)) .Values.auth.native.existingSecret }}
{{- end -}}

{{- define "tessera.credentialsSecret" -}}
{{ include "tessera.fullname" . }}-credentials
{{- end -}}

{{- define "tessera.minio" -}}
{{ include "tessera.fullname" . }}-minio
{{- end -}}

{{- define "tessera.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}
{{- end -}}
{{- end -}}

{{/* What never changes of an installation: selectors cannot be changed. */}}
{{- define "tessera.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tessera.nodeSelector" -}}
{{ include "tessera.selector" . }}
app.kubernetes.io/component: node
{{- end -}}

{{- define "tessera.broadcastSelector" -}}
{{ include "tessera.selector" . }}
app.kubernetes.io/component: broadcast
{{- end -}}

{{- define "tessera.labels" -}}
{{ include "tessera.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}
