export {
  type ExternalAllowList,
  ExternalSources,
  type ResolvedFiles,
  type ResolveOptions,
} from './external-sources.ts';
