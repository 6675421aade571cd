/** Ports that browsers refuse as well. */
const REFUSED_BY_BROWSERS = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];
const DATABASES = [1433, 1521, 3306, 5432, 6379, 9042, 9160, 9300, 11_211, 26_379, 27_017, 27_018, 27_019];
const BROKERS = [1883, 2181, 4369, 5671, 5672, 9092, 61_616];
const CLUSTER_CONTROL = [2375, 2376, 2377, 2379, 2380, 6443, 10_250, 10_255];
const REMOTE_DESKTOPS = [3389, 5900, 5901, 5985, 5986];

/**
 * Ports above 1023 where something other than a web server is known to listen, that an HTTP request could talk into
 * mischief.
 */
export const REFUSED_PORTS: ReadonlySet<number> = new Set([
  ...REFUSED_BY_BROWSERS,
  ...DATABASES,
  ...BROKERS,
  ...CLUSTER_CONTROL,
  ...REMOTE_DESKTOPS,
]);
