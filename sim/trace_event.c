/* Writes trace events as JSON (trace_event.h). */
#include "sim/trace_event.h"

#include "sim/output.h"

void trace_event_open(FILE *out, const char *clock, const char *configuration, unsigned process, const char *name)
{
    fputs("{\"otherData\":{\"clock\":", out);
    output_json_string(out, clock);
    fputs(",\"configuration\":", out);
    output_json_string(out, configuration);
    fprintf(out,
            "},\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":", process);
    output_json_string(out, name);
    fputs("}}", out);
}

void trace_event_close(FILE *out) { fputs("\n]}\n", out); }

void trace_event_name(FILE *out, const char *what, unsigned process, unsigned track, const char *name)
{
    fprintf(out, ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what, process, track);
    output_json_string(out, name);
    fputs("}}", out);
}

void trace_event(FILE *out, char phase, unsigned process, unsigned track)
{
    fprintf(out, ",\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", phase, process, track);
}
