export {
  openRpcChannel,
  type RpcChannel,
  type RpcChannelOptions,
  RpcChannels,
  rpcCalls,
  type Unanswered,
} from './channel.ts';
export { type ClusterTls, type ClusterTlsFiles, clusterTls, clusterTlsFiles } from './cluster-tls.ts';
export { clusterToken } from './cluster-token.ts';
export { errorOf } from './error-metadata.ts';
export * from './generated/tessera/v1/broadcast_pb.ts';
export * from './generated/tessera/v1/distexec_pb.ts';
export * from './generated/tessera/v1/files_pb.ts';
export * from './generated/tessera/v1/shuffle_pb.ts';
export * from './generated/tessera/v1/storage_agent_pb.ts';
export * from './generated/tessera/v1/storage_manager_pb.ts';
export * from './generated/tessera/v1/task_pb.ts';
export type { NodeCredentials, NodeStore } from './handshake.ts';
export {
  type RpcServer,
  type RpcServerOptions,
  type ServedService,
  serviceOf,
  startRpcServer,
} from './server.ts';
export type {
  CallerStream,
  CallOptions,
  RpcClient,
  RpcContext,
  RpcHandlers,
  RpcService,
  ServedEvents,
  ServedStream,
} from './service.ts';
