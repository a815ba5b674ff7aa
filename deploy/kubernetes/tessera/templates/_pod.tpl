{{- define "tessera.env" -}}
- name: TESSERA_NODE
  valueFrom:
    fieldRef:
      fieldPath: metadata.labels['apps.kubernetes.io/pod-index']
- name: TESSERA_CLUSTER_TOKEN_FILE
  value: /var/run/secrets/tessera/cluster/token
{{- if .Values.clusterTls.existingSecret }}
- name: TESSERA_CLUSTER_TLS_CA
  value: /var/run/secrets/tessera/cluster-tls/ca.crt
- name: TESSERA_CLUSTER_TLS_CERT
  value: /var/run/secrets/tessera/cluster-tls/tls.crt
- name: TESSERA_CLUSTER_TLS_KEY
  value: /var/run/secrets/tessera/cluster-tls/tls.key
{{- end }}
{{- if .Values.tls.existingSecret }}
- name: TESSERA_TLS_CERT
  value: /var/run/secrets/tessera/tls/tls.crt
- name: TESSERA_TLS_KEY
  value: /var/run/secrets/tessera/tls/tls.key
{{- end }}
{{- if .Values.auth.native.enabled }}
- name: TESSERA_INITIAL_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "tessera.authSecret" . }}
      key: password
{{- end }}
{{- if .Values.credentials.google.existingSecret }}
- name: GOOGLE_APPLICATION_CREDENTIALS
  value: /var/run/secrets/tessera/google/{{ .Values.credentials.google.key }}
{{- end }}
{{- if .Values.minio.enabled }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef:
      name: {{ include "tessera.minio" . }}
      key: user
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ include "tessera.minio" . }}
      key: password
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tessera.envFrom" -}}
{{- with .Values.credentials.existingSecret }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- if .Values.credentials.env }}
- secretRef:
    name: {{ include "tessera.credentialsSecret" . }}
{{- end }}
{{- end -}}

{{/* Each secret that is a directory of files: its volume, the secret, and what of it is wanted. */}}
{{- define "tessera.secretFiles" -}}
- name: cluster
  secret: {{ include "tessera.tokenSecret" . }}
  items: [{ key: {{ .Values.clusterToken.key }}, path: token }]
{{- with .Values.clusterTls.existingSecret }}
- name: cluster-tls
  secret: {{ . }}
  items: [{ key: ca.crt, path: ca.crt }, { key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
{{- end }}
{{- with .Values.tls.existingSecret }}
- name: tls
  secret: {{ . }}
  items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
{{- end }}
{{- if .Values.auth.native.enabled }}
- name: auth
  secret: {{ include "tessera.authSecret" . }}
  items: [{ key: signing-key.pem, path: signing-key.pem }]
{{- end }}
{{- with .Values.credentials.google }}
{{- if .existingSecret }}
- name: google
  secret: {{ .existingSecret }}
  items: [{ key: {{ .key }}, path: {{ .key }} }]
{{- end }}
{{- end }}
{{- end -}}

{{- define "tessera.secretMounts" -}}
{{- range include "tessera.secretFiles" . | fromYamlArray }}
- { name: {{ .name }}, mountPath: /var/run/secrets/tessera/{{ .name }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "tessera.secretVolumes" -}}
{{- range include "tessera.secretFiles" . | fromYamlArray }}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    # 0440: readable by the group of the pod.
    defaultMode: 288
    items:
      {{- toYaml .items | nindent 6 }}
{{- end }}
{{- end -}}
