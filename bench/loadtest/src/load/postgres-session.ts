import { Client } from 'pg';

/** One connection with the PostgreSQL protocol. */
export class PostgresSession {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** @param url with the user's name, such as `postgres://tessera@127.0.0.1:5432/tessera` */
  static async open(url: string, { limitMs }: { readonly limitMs: number }): Promise<PostgresSession> {
    const client = new Client({ connectionString: url, query_timeout: limitMs });
    // Its statements fail as well, so the error need not be handled here.
    client.on('error', () => undefined);
    await client.connect();
    return new PostgresSession(client);
  }

  /**
   * A statement that is parsed and described when it is first sent under that name. @throws Error with a
   * SQLSTATE in `code`
   */
  async prepared(name: string, text: string, values: readonly unknown[]): Promise<unknown[][]> {
    const { rows } = await this.#client.query({ name, text, values: [...values], rowMode: 'array' });
    return rows;
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
