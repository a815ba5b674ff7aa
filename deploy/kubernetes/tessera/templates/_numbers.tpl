{{/* A quantity of Kubernetes as a plain number: 4Gi, 1500M, 500m, 2. */}}
{{- define "tessera.quantity" -}}
{{- $number := regexFind "^[0-9.]+" . | float64 -}}
{{- $suffix := regexReplaceAll "^[0-9.]+" . "" -}}
{{- $units := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- if not (hasKey $units $suffix) -}}
{{- fail (printf "resources.limits: %s is written in a unit that the chart does not know" .) -}}
{{- end -}}
{{- mulf $number (get $units $suffix) -}}
{{- end -}}

{{/* A duration of the configuration in whole seconds: 90s, 1m, 1.5h. */}}
{{- define "tessera.seconds" -}}
{{- $number := regexFind "^[0-9.]+" . | float64 -}}
{{- $unit := get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) (regexFind "[smhd]$" .) -}}
{{- if not $unit -}}
{{- fail (printf "config.engine.termination_grace_period: %s is no duration" .) -}}
{{- end -}}
{{- mulf $number $unit | ceil | int64 -}}
{{- end -}}

{{/* All that a node takes to leave: the delay, the statements under way, and the rest. */}}
{{- define "tessera.terminationGracePeriod" -}}
{{- $grace := dig "engine" "termination_grace_period" "1m" .Values.config -}}
{{- add (int .Values.drainDelaySeconds) (include "tessera.seconds" $grace | int) 20 -}}
{{- end -}}
