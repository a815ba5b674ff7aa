import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Savepoint;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.copy.CopyManager;

/** The JDBC driver of PostgreSQL against a running node: `JdbcClient host port`. Writes a line for each test. */
public final class JdbcClient {
  private static final String LONG =
      "SELECT sum(a.i * b.i % 7) FROM generate_series(1, 1000000) AS a(i), generate_series(1, 1000000) AS b(i)";
  private static String url;

  public static void main(String[] args) throws Exception {
    url = "jdbc:postgresql://" + args[0] + ":" + args[1] + "/tessera";
    for (Method method : JdbcClient.class.getDeclaredMethods()) {
      if (!method.getName().startsWith("test")) continue;
      try {
        method.invoke(null);
        System.out.println("ok " + method.getName());
      } catch (InvocationTargetException failed) {
        StringBuilder why = new StringBuilder(String.valueOf(failed.getCause()));
        for (StackTraceElement at : failed.getCause().getStackTrace()) {
          if (at.getClassName().startsWith("JdbcClient")) why.append("\n  at line ").append(at.getLineNumber());
        }
        System.out.println("failed " + method.getName() + ": " + why.toString().replace("\n", "\\n"));
      }
    }
    System.exit(0);
  }

  static void testModesOfQueries() throws SQLException {
    for (String mode : List.of("simple", "extended", "extendedForPrepared", "extendedCacheEverything")) {
      try (Connection connection = connect(Map.of("preferQueryMode", mode));
          Statement statement = connection.createStatement()) {
        same(rows(statement.executeQuery("SELECT 1::int AS a, 'x' AS b, NULL::date AS c")), "1|x|null");
        try (PreparedStatement prepared = connection.prepareStatement("SELECT ?::int + 1, ?::text")) {
          for (int i = 0; i < 7; i += 1) {
            prepared.setInt(1, i);
            prepared.setString(2, "it's \\ " + i);
            same(rows(prepared.executeQuery()), (i + 1) + "|it's \\ " + i);
          }
        }
      }
    }
  }

  static void testPreparedOnTheServerBecomesBinary() throws SQLException {
    try (Connection connection = connect(Map.of("prepareThreshold", "1"));
        PreparedStatement prepared = connection.prepareStatement(
            "SELECT i, i::int, i::double precision / 4, i % 2 = 0, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00.5',"
                + " i::numeric(10, 2), '\\x00ff'::bytea FROM generate_series(1, 3) AS r(i) WHERE i > ?")) {
      List<String> seen = new ArrayList<>();
      for (int i = 0; i < 3; i += 1) {
        prepared.setLong(1, 2);
        seen.add(rows(prepared.executeQuery()));
      }
      same(seen.get(0), "3|3|0.75|false|2024-02-29|2024-02-29 12:00:00.5|3.00|[0, -1]");
      same(List.copyOf(new java.util.LinkedHashSet<>(seen)).size(), 1);
      same(prepared.unwrap(PGStatement.class).isUseServerPrepare(), true);
    }
  }

  static void testValuesOfEveryType() throws SQLException {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i += 1) bytes[i] = (byte) i;
    LocalDateTime moment = LocalDateTime.of(2024, 2, 29, 12, 34, 56, 789_012_000);
    for (Map<String, String> options : List.of(Map.of("binaryTransfer", "true", "prepareThreshold", "-1"),
        Map.of("binaryTransfer", "false"))) {
      try (Connection connection = connect(options); Statement statement = connection.createStatement()) {
        statement.execute("DROP TABLE IF EXISTS every_type");
        statement.execute("CREATE TABLE every_type (a INT, b BIGINT, c REAL, d DOUBLE PRECISION, e NUMERIC(20, 5), f BOOLEAN,"
            + " g TEXT, h DATE, i TIMESTAMP, j TIMESTAMPTZ, k BYTEA, l INT[], m TEXT[])");
        String places = "?" + ", ?".repeat(12);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO every_type VALUES (" + places + ")")) {
          insert.setInt(1, -7);
          insert.setLong(2, Long.MIN_VALUE);
          insert.setFloat(3, 1.5f);
          insert.setDouble(4, Math.PI);
          insert.setBigDecimal(5, new BigDecimal("123456789012345.67890"));
          insert.setBoolean(6, true);
          insert.setString(7, "ü😀 'x' \\");
          insert.setObject(8, LocalDate.of(2024, 2, 29));
          insert.setObject(9, moment);
          insert.setObject(10, moment.atOffset(ZoneOffset.ofHours(2)));
          insert.setBytes(11, bytes);
          insert.setArray(12, connection.createArrayOf("int4", new Integer[] {1, null, 3}));
          insert.setArray(13, connection.createArrayOf("text", new String[] {"a", null, "{,\"}"}));
          same(insert.executeUpdate(), 1);
          for (int i = 1; i <= 13; i += 1) insert.setNull(i, Types.NULL);
          same(insert.executeUpdate(), 1);
          insert.setNull(1, Types.INTEGER);
          insert.setDate(8, Date.valueOf("2024-02-29"));
          insert.setTimestamp(9, Timestamp.valueOf(moment));
          insert.setTimestamp(10, Timestamp.valueOf(moment));
          same(insert.executeUpdate(), 1);
        }
        try (PreparedStatement select =
            connection.prepareStatement("SELECT * FROM every_type WHERE h IS NOT NULL ORDER BY a")) {
          for (int i = 0; i < 2; i += 1) {
            ResultSet rows = select.executeQuery();
            same(rows.next(), true);
            same(rows.getInt(1), -7);
            same(rows.getLong(2), Long.MIN_VALUE);
            same(rows.getFloat(3), 1.5f);
            same(rows.getDouble(4), Math.PI);
            same(rows.getBigDecimal(5), new BigDecimal("123456789012345.67890"));
            same(rows.getBoolean(6), true);
            same(rows.getString(7), "ü😀 'x' \\");
            same(rows.getObject(8, LocalDate.class), LocalDate.of(2024, 2, 29));
            same(rows.getObject(9, LocalDateTime.class), moment);
            same(rows.getObject(10, OffsetDateTime.class).toInstant(), moment.toInstant(ZoneOffset.ofHours(2)));
            same(Arrays.equals(rows.getBytes(11), bytes), true);
            same(Arrays.asList((Integer[]) rows.getArray(12).getArray()), Arrays.asList(1, null, 3));
            same(Arrays.asList((String[]) rows.getArray(13).getArray()), Arrays.asList("a", null, "{,\"}"));
            same(rows.next(), true);
            same(rows.getTimestamp(9), Timestamp.valueOf(moment));
            same(rows.getTimestamp(10), Timestamp.valueOf(moment));
            same(rows.next(), false);
          }
        }
      }
    }
  }

  static void testPortalsOfFetchSize() throws SQLException {
    try (Connection connection = connect(Map.of("defaultRowFetchSize", "100"))) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement();
          Statement other = connection.createStatement()) {
        ResultSet rows = statement.executeQuery("SELECT i, 'n' || i FROM generate_series(1, 1000) AS r(i) ORDER BY i");
        ResultSet beside = other.executeQuery("SELECT i FROM generate_series(1, 500) AS r(i) ORDER BY i");
        for (int i = 1; i <= 1000; i += 1) {
          same(rows.next(), true);
          same(rows.getString(2), "n" + i);
          if (i <= 500) same(beside.next() && beside.getInt(1) == i, true);
        }
        same(rows.next(), false);
        ResultSet closed = statement.executeQuery("SELECT i FROM generate_series(1, 1000) AS r(i)");
        closed.next();
        closed.close();
        same(rows(statement.executeQuery("SELECT 5")), "5");
      }
      connection.commit();
    }
  }

  static void testLargeResultsStream() throws SQLException {
    try (Connection connection = connect(Map.of())) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(5_000);
        ResultSet rows = statement.executeQuery(
            "SELECT i, repeat('x', 500) AS filler FROM generate_series(1, 300000) AS r(i)");
        long count = 0;
        long most = 0;
        while (rows.next()) {
          count += 1;
          if (count % 50_000 == 0) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            most = Math.max(most, runtime.totalMemory() - runtime.freeMemory());
          }
        }
        same(count, 300_000L);
        same(most < 64L << 20, true);
      }
    }
  }

  static void testBatches() throws SQLException {
    for (String rewrite : List.of("false", "true")) {
      try (Connection connection = connect(Map.of("reWriteBatchedInserts", rewrite));
          Statement statement = connection.createStatement()) {
        statement.execute("DROP TABLE IF EXISTS batched");
        statement.execute("CREATE TABLE batched (a INT NOT NULL, b TEXT)");
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO batched (a, b) VALUES (?, ?)")) {
          for (int i = 0; i < 40; i += 1) {
            insert.setInt(1, i);
            insert.setString(2, i % 3 == 0 ? null : "b" + i);
            insert.addBatch();
          }
          same(insert.executeBatch().length, 40);
        }
        connection.commit();
        statement.addBatch("UPDATE batched SET b = 'x' WHERE a < 5");
        statement.addBatch("DELETE FROM batched WHERE a >= 30");
        same(Arrays.toString(statement.executeBatch()), "[5, 10]");
        connection.commit();
        same(rows(statement.executeQuery("SELECT count(*), count(b), sum(a) FROM batched")), "30|22|435");
        statement.addBatch("INSERT INTO batched VALUES (100)");
        statement.addBatch("INSERT INTO batched VALUES ('x')");
        same(raises(statement::executeBatch) instanceof BatchUpdateException, true);
        connection.rollback();
        same(rows(statement.executeQuery("SELECT count(*) FROM batched")), "30");
      }
    }
  }

  static void testGeneratedKeys() throws SQLException {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE keyed (id SERIAL, a INT)");
      same(statement.executeUpdate("INSERT INTO keyed (a) VALUES (5), (6)", Statement.RETURN_GENERATED_KEYS), 2);
      same(rows(statement.getGeneratedKeys()), rows(statement.executeQuery("SELECT * FROM keyed ORDER BY id")));
      statement.executeUpdate("INSERT INTO keyed (a) VALUES (7)", new String[] {"id"});
      same(rows(statement.getGeneratedKeys()), rows(statement.executeQuery("SELECT id FROM keyed WHERE a = 7")));
    }
  }

  static void testColumnsOfResults() throws SQLException {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      ResultSetMetaData columns = statement.executeQuery(
          "SELECT 1::int AS a, 1::numeric(10, 2) AS b, 'x' AS c, ARRAY[1] AS d, now() AS e").getMetaData();
      List<String> told = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i += 1) {
        told.add(columns.getColumnLabel(i) + " " + columns.getColumnTypeName(i) + " " + columns.getPrecision(i) + " "
            + columns.getScale(i) + " " + columns.getColumnClassName(i));
      }
      same(String.join("\n", told), String.join("\n",
          "a int4 10 0 java.lang.Integer", "b numeric 10 2 java.math.BigDecimal", "c text 2147483647 0 java.lang.String",
          "d _int4 10 0 java.sql.Array", "e timestamptz 35 6 java.sql.Timestamp"));
    }
  }

  static void testTypesOfParameters() throws SQLException {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE parameters (a INT, b TEXT, c DATE, d NUMERIC(10, 2))");
      try (PreparedStatement insert = connection.prepareStatement("INSERT INTO parameters VALUES (?, ?, ?, ?)");
          PreparedStatement select =
              connection.prepareStatement("SELECT b FROM parameters WHERE a = ? AND c > ? AND d < ?")) {
        same(types(insert.getParameterMetaData()), "int4 text date numeric");
        same(types(select.getParameterMetaData()), "int4 date numeric");
        same(select.getMetaData().getColumnName(1), "b");
      }
    }
  }

  static void testTablesAndColumnsOfTheDatabase() throws SQLException {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE meta (a INT NOT NULL, b NUMERIC(10, 2), c TEXT[], d TIMESTAMPTZ) PRIMARY INDEX a");
      statement.execute("CREATE VIEW meta_view AS SELECT a, b FROM meta");
      DatabaseMetaData meta = connection.getMetaData();
      same(told(meta.getTables(null, "public", "meta%", null), "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE"),
          "public meta_primary_index INDEX, public meta TABLE, public meta_view VIEW");
      same(told(meta.getTables(null, null, "meta%", new String[] {"VIEW"}), "TABLE_NAME"), "meta_view");
      same(told(meta.getColumns(null, "public", "meta", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE",
          "DECIMAL_DIGITS", "NULLABLE", "ORDINAL_POSITION", "IS_AUTOINCREMENT"),
          "a 4 int4 10 0 0 1 NO, b 2 numeric 10 2 1 2 NO, c 2003 _text 2147483647 0 1 3 NO, d 93 timestamptz 35 6 1 4 NO");
      same(told(meta.getColumns("tessera", "public", "meta\\_view", null), "COLUMN_NAME"), "a, b");
      same(told(meta.getSchemas(null, "pub%"), "TABLE_SCHEM"), "public");
      same(told(meta.getCatalogs(), "TABLE_CAT"), "tessera");
      same(told(meta.getTableTypes(), "TABLE_TYPE").contains("TABLE"), true);
      same(told(meta.getTablePrivileges(null, "public", "meta"), "GRANTEE", "PRIVILEGE").contains("tessera SELECT"), true);
      same(told(meta.getColumnPrivileges(null, "public", "meta", "a"), "COLUMN_NAME", "PRIVILEGE").contains("a SELECT"), true);
    }
  }

  static void testKeysAndIndexesOfTheDatabase() throws SQLException {
    try (Connection connection = connect(Map.of())) {
      DatabaseMetaData meta = connection.getMetaData();
      same(told(meta.getPrimaryKeys(null, "public", "meta"), "COLUMN_NAME"), "");
      same(told(meta.getImportedKeys(null, "public", "meta"), "FKCOLUMN_NAME"), "");
      same(told(meta.getExportedKeys(null, "public", "meta"), "FKCOLUMN_NAME"), "");
      same(told(meta.getCrossReference(null, null, "meta", null, null, "meta"), "FKCOLUMN_NAME"), "");
      meta.getIndexInfo(null, "public", "meta", false, true).close();
      same(told(meta.getBestRowIdentifier(null, "public", "meta", 0, true), "COLUMN_NAME"), "");
      same(told(meta.getVersionColumns(null, "public", "meta"), "COLUMN_NAME"), "ctid");
    }
  }

  static void testTypesAndFunctionsOfTheDatabase() throws SQLException {
    try (Connection connection = connect(Map.of())) {
      DatabaseMetaData meta = connection.getMetaData();
      String types = told(meta.getTypeInfo(), "TYPE_NAME", "DATA_TYPE");
      for (String type : List.of("int4 4", "int8 -5", "text 12", "bool -7", "numeric 2", "date 91", "timestamptz 93", "bytea -2")) {
        same(types.contains(type), true);
      }
      meta.getFunctions(null, null, "upp%").close();
      meta.getProcedures(null, null, "%").close();
      meta.getProcedureColumns(null, null, "%", "%").close();
      meta.getFunctionColumns(null, null, "upp%", "%").close();
      meta.getUDTs(null, null, "%", null).close();
      meta.getClientInfoProperties().close();
      same(meta.getDatabaseProductName(), "PostgreSQL");
      same(meta.getDatabaseMajorVersion() >= 15, true);
      same(meta.getUserName(), "tessera");
      same(meta.getMaxColumnNameLength() >= 63, true);
      same(meta.getSQLKeywords().isEmpty(), false);
    }
  }

  static void testCopyManager() throws Exception {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE copied (a INT, b TEXT)");
      CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
      StringBuilder csv = new StringBuilder();
      IntStream.range(0, 20_000).forEach((i) -> csv.append(i).append(",\"b \"\"").append(i).append("\"\"\"\n"));
      same(copies.copyIn("COPY copied FROM STDIN WITH (FORMAT csv)", new StringReader(csv.toString())), 20_000L);
      StringWriter out = new StringWriter();
      same(copies.copyOut("COPY (SELECT * FROM copied WHERE a < 2 ORDER BY a) TO STDOUT", out), 2L);
      same(out.toString(), "0\tb \"0\"\n1\tb \"1\"\n");
      same(code(() -> copies.copyIn("COPY copied FROM STDIN WITH (FORMAT csv)", new StringReader("x,y\n"))), "22P02");
      same(rows(statement.executeQuery("SELECT count(*) FROM copied")), "20000");
    }
  }

  static void testCancelAndTimeouts() throws Exception {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      Thread canceller = new Thread(() -> {
        while (!Thread.interrupted()) {
          try {
            statement.cancel();
            Thread.sleep(50);
          } catch (SQLException | InterruptedException stopped) {
            return;
          }
        }
      });
      canceller.start();
      same(code(() -> statement.executeQuery(LONG)), "57014");
      canceller.interrupt();
      canceller.join();
    }
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      same(code(() -> statement.executeQuery(LONG)), "57014");
      statement.setQueryTimeout(0);
      // The limit holds for the statement that lifts it, too.
      statement.execute("SET statement_timeout = 1000");
      same(code(() -> statement.executeQuery(LONG)), "57014");
      statement.execute("SET statement_timeout = 0");
      same(rows(statement.executeQuery("SELECT 1")), "1");
    }
  }

  static void testTransactions() throws SQLException {
    try (Connection connection = connect(Map.of()); Connection other = connect(Map.of());
        Statement statement = connection.createStatement(); Statement reader = other.createStatement()) {
      statement.execute("CREATE TABLE moves (a INT)");
      connection.setAutoCommit(false);
      statement.executeUpdate("INSERT INTO moves VALUES (1)");
      same(rows(reader.executeQuery("SELECT count(*) FROM moves")), "0");
      connection.commit();
      same(rows(reader.executeQuery("SELECT count(*) FROM moves")), "1");
      statement.executeUpdate("INSERT INTO moves VALUES (2)");
      connection.rollback();
      same(rows(statement.executeQuery("SELECT count(*) FROM moves")), "1");
      same(code(() -> statement.execute("SELECT * FROM nowhere")), "42P01");
      same(code(() -> statement.execute("SELECT 1")), "25P02");
      connection.rollback();
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      same(connection.getTransactionIsolation(), Connection.TRANSACTION_REPEATABLE_READ);
      connection.setReadOnly(true);
      same(code(() -> statement.executeUpdate("INSERT INTO moves VALUES (3)")), "25006");
      connection.rollback();
      connection.setReadOnly(false);
      Savepoint savepoint = connection.setSavepoint("here");
      statement.executeUpdate("INSERT INTO moves VALUES (4)");
      same(code(() -> statement.execute("SELECT * FROM nowhere")), "42P01");
      connection.rollback(savepoint);
      connection.releaseSavepoint(savepoint);
      connection.commit();
      same(rows(statement.executeQuery("SELECT count(*) FROM moves")), "1");
      connection.rollback();
    }
  }

  static void testStateOfConnections() throws SQLException {
    try (Connection connection = connect(Map.of("ApplicationName", "proof", "currentSchema", "public"))) {
      same(connection.isValid(5), true);
      same(connection.getSchema(), "public");
      same(connection.getCatalog(), "tessera");
      same(connection.getClientInfo("ApplicationName"), "proof");
      connection.setClientInfo("ApplicationName", "other");
      try (Statement statement = connection.createStatement()) {
        same(rows(statement.executeQuery("SHOW application_name")), "other");
        same(statement.execute("SELECT 1; SELECT 2"), true);
        same(statement.getMoreResults(), true);
        same(rows(statement.getResultSet()), "2");
        statement.setMaxRows(3);
        same(rows(statement.executeQuery("SELECT i FROM generate_series(1, 10) AS r(i)")), "1\n2\n3");
      }
    }
  }

  static void testEscapesOfJdbc() throws SQLException {
    try (Connection connection = connect(Map.of()); Statement statement = connection.createStatement()) {
      same(rows(statement.executeQuery("SELECT {fn ucase('x')}, {d '2024-02-29'}, {ts '2024-02-29 12:00:00'}, {fn concat('a', 'b')}")),
          "X|2024-02-29|2024-02-29 12:00:00.0|ab");
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private static Connection connect(Map<String, String> options) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", "tessera");
    options.forEach(properties::setProperty);
    return DriverManager.getConnection(url, properties);
  }

  private static void same(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) throw new AssertionError(actual + " instead of " + expected);
  }

  private static Exception raises(Action action) {
    try {
      action.run();
    } catch (Exception raised) {
      return raised;
    }
    throw new AssertionError("no error");
  }

  private static String code(Action action) {
    Exception raised = raises(action);
    return raised instanceof SQLException ? ((SQLException) raised).getSQLState() : String.valueOf(raised);
  }

  private static String rows(ResultSet rows) throws SQLException {
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      List<String> cells = new ArrayList<>();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i += 1) {
        Object cell = rows.getObject(i);
        cells.add(cell instanceof byte[] ? Arrays.toString((byte[]) cell) : String.valueOf(cell));
      }
      lines.add(String.join("|", cells));
    }
    return String.join("\n", lines);
  }

  private static String told(ResultSet rows, String... names) throws SQLException {
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      List<String> cells = new ArrayList<>();
      for (String name : names) cells.add(rows.getString(name));
      lines.add(String.join(" ", cells));
    }
    return String.join(", ", lines);
  }

  private static String types(ParameterMetaData parameters) throws SQLException {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= parameters.getParameterCount(); i += 1) names.add(parameters.getParameterTypeName(i));
    return String.join(" ", names);
  }
}
