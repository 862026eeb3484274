/** Error codes of RST_STREAM and GOAWAY (RFC 9113 section 7). */
export const NO_ERROR = 0
export const INTERNAL_ERROR = 2
export const FLOW_CONTROL_ERROR = 3
export const SETTINGS_TIMEOUT = 4
export const REFUSED_STREAM = 7
export const CANCEL = 8
export const ENHANCE_YOUR_CALM = 11
export const HTTP_1_1_REQUIRED = 13

/** The flag of a frame that ends a stream (RFC 9113 section 6.1). */
export const END_STREAM = 1
