import { fail, TesseraError } from '@tessera/common';
import { Agent } from 'undici';
import { DEFAULT_DOWNLOAD_LIMITS, type DownloadLimits, download } from './download.ts';
import { LocalDirectories } from './local-directories.ts';
import { UrlAllowList } from './url-allow-list.ts';

export interface ExternalAllowList {
  /** Directories whose files may be read (`--allow-read`); each must exist. */
  readonly directories: readonly string[];
  /** `http(s)://host[:port]/path` prefixes that may be fetched (`--allow-url`). */
  readonly urlPrefixes: readonly string[];
  readonly limits?: Partial<DownloadLimits>;
}

export interface ResolveOptions {
  /** The request's own directory: downloads go there. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** For a download, counted after its content coding is undone; files read in place are not bounded. */
  readonly maxBytes: number;
}

export interface ResolvedFiles {
  /** Absolute, without symbolic links, sorted; never empty. Names may hold glob characters: do not expand them again. */
  readonly paths: readonly string[];
  /** Removes what was downloaded; may be called more than once. */
  dispose(): Promise<void>;
}

/** Turns the URLs a statement reads into local files, within what the engine was allowed at its start. */
export class ExternalSources {
  readonly #local: LocalDirectories;
  readonly #urls: UrlAllowList;
  readonly #limits: DownloadLimits;
  readonly #agent: Agent;

  /** Throws INVALID_ARGUMENT naming the flag when a directory does not exist or a prefix is not a URL. */
  constructor(allow: ExternalAllowList) {
    this.#local = new LocalDirectories(allow.directories);
    this.#urls = new UrlAllowList(allow.urlPrefixes);
    this.#limits = { ...DEFAULT_DOWNLOAD_LIMITS, ...allow.limits };
    this.#agent = new Agent({ connect: { timeout: this.#limits.connectTimeoutMs } });
  }

  /** The allowed directories without symbolic links: what the kernel must be able to read. */
  get directories(): readonly string[] {
    return this.#local.roots;
  }

  /** `url`: an absolute path or `file://` URL, either with `*`, `**`, `?`, `[…]`; or an `http(s)://` URL. */
  async resolve(url: string, options: ResolveOptions): Promise<ResolvedFiles> {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
    if (scheme === undefined || scheme === 'file') {
      const paths = await this.#local.resolve(url, options.signal);
      return { paths, dispose: async () => {} };
    }
    if (scheme === 'http' || scheme === 'https') {
      const file = await download(url, {
        ...options,
        allowed: this.#urls,
        limits: this.#limits,
        agent: this.#agent,
      });
      return { paths: [file.path], dispose: file.dispose };
    }
    return fail('NOT_SUPPORTED', { what: `Reading ${scheme}:// URLs` });
  }

  /** Ends downloads that still run and frees the connections. */
  async close(): Promise<void> {
    await this.#agent.destroy(TesseraError.of('DRAINING', {}));
  }
}
