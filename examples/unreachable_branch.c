/* The order of an else-if cascade hides a branch: what is at least 400 never reaches the test for 500. */

const char *class_of_status(unsigned status)
{
    if (status < 200)
        return "informational";
    else if (status < 400)
        return "fine";
    else if (status >= 400)
        return "client error";
    else if (status >= 500)
        return "server error";
    return "unknown";
}
